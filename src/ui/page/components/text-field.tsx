import type { ComponentProps } from 'preact'

/** A line of text beside buttons; it takes the width that they leave. */
export function TextField({ label, ...input }: { label: string } & ComponentProps<'input'>) {
  return (
    <label class="grow">
      <span>{label}</span>
      <input {...input} />
    </label>
  )
}

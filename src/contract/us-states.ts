/** The two-letter codes of states, of the District of Columbia, of territories and of military mail, by their names. */
const byName: Readonly<Record<string, string>> = Object.fromEntries(
  (
    'AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,CT Connecticut,DE Delaware,' +
    'DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,IL Illinois,IN Indiana,IA Iowa,KS Kansas,' +
    'KY Kentucky,LA Louisiana,ME Maine,MD Maryland,MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,' +
    'MO Missouri,MT Montana,NE Nebraska,NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,' +
    'NC North Carolina,ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,PR Puerto Rico,' +
    'RI Rhode Island,SC South Carolina,SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,' +
    'WA Washington,WV West Virginia,WI Wisconsin,WY Wyoming,GU Guam,AS American Samoa,MP Northern Mariana Islands,' +
    'VI Virgin Islands,VI U S Virgin Islands,VI US Virgin Islands,PW Palau,FM Micronesia,MH Marshall Islands'
  )
    .split(',')
    .map((entry) => [entry.slice(3).toUpperCase(), entry.slice(0, 2)]),
)
const codes = new Set([...Object.values(byName), 'AA', 'AE', 'AP'])

/**
 * The code of a state that is written as its code or name, in any case and with or without dots: `NC`, `N.C.`,
 * `North Carolina`. `undefined` for what names none.
 */
export function stateCodeOf(text: string): string | undefined {
  if (codes.has(text)) return text
  const plain = text.toUpperCase().replaceAll('.', ' ').replace(/\s+/g, ' ').trim()
  const letters = plain.replaceAll(' ', '')
  return codes.has(letters) ? letters : byName[plain]
}

/** A pattern of all names of states and of codes with dots, longest first. */
export const stateNamePattern = Object.keys(byName)
  .sort((a, b) => b.length - a.length)
  .map((name) => name.replaceAll(' ', '[ .]+'))
  .join('|')

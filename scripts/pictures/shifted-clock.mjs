/** Preloaded by `npm run pictures`: the clock of the process starts where `DLV_PICTURES_SHIFT_MS` says, and runs on. */
const shiftMs = Number(process.env.DLV_PICTURES_SHIFT_MS)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + shiftMs] : given))
  }

  static now() {
    return RealDate.now() + shiftMs
  }
}

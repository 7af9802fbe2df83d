// Preloaded into the program by tests that compare what it prints: its clock stands still.
const nowMs = Number(process.env.DLV_TEST_NOW_MS)
const RealDate = Date

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(nowMs)
    else super(...parts)
  }

  static now() {
    return nowMs
  }
}

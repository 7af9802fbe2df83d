import { remembering } from '../shared/texts.js'

/** First three digits, from and to, and the state they belong to; several rows for a prefix that straddles a border. */
const prefixStates: readonly (readonly [number, number, string])[] = [
  [5, 5, 'NY'],
  [6, 7, 'PR'],
  [8, 8, 'VI'],
  [9, 9, 'PR'],
  [10, 27, 'MA'],
  [28, 29, 'RI'],
  [30, 38, 'NH'],
  [39, 49, 'ME'],
  [50, 54, 'VT'],
  [55, 55, 'MA'],
  [56, 59, 'VT'],
  [60, 69, 'CT'],
  [63, 63, 'NY'],
  [70, 89, 'NJ'],
  [100, 149, 'NY'],
  [150, 196, 'PA'],
  [197, 199, 'DE'],
  [200, 200, 'DC'],
  [201, 201, 'VA'],
  [202, 205, 'DC'],
  [205, 205, 'MD'],
  [205, 205, 'VA'],
  [206, 219, 'MD'],
  [220, 246, 'VA'],
  [247, 268, 'WV'],
  [270, 289, 'NC'],
  [290, 299, 'SC'],
  [300, 319, 'GA'],
  [320, 349, 'FL'],
  [350, 369, 'AL'],
  [370, 385, 'TN'],
  [386, 397, 'MS'],
  [398, 399, 'GA'],
  [400, 427, 'KY'],
  [430, 459, 'OH'],
  [460, 479, 'IN'],
  [480, 499, 'MI'],
  [500, 528, 'IA'],
  [530, 549, 'WI'],
  [550, 567, 'MN'],
  [569, 569, 'DC'],
  [570, 577, 'SD'],
  [580, 588, 'ND'],
  [590, 599, 'MT'],
  [600, 629, 'IL'],
  [630, 658, 'MO'],
  [660, 679, 'KS'],
  [680, 693, 'NE'],
  [700, 714, 'LA'],
  [716, 729, 'AR'],
  [726, 726, 'MO'],
  [730, 732, 'OK'],
  [733, 733, 'TX'],
  [734, 749, 'OK'],
  [739, 739, 'TX'],
  [750, 799, 'TX'],
  [800, 816, 'CO'],
  [820, 831, 'WY'],
  [832, 838, 'ID'],
  [834, 834, 'WY'],
  [840, 847, 'UT'],
  [850, 865, 'AZ'],
  [870, 884, 'NM'],
  [885, 885, 'TX'],
  [889, 898, 'NV'],
  [900, 961, 'CA'],
  [967, 968, 'HI'],
  [969, 969, 'GU'],
  [970, 979, 'OR'],
  [980, 994, 'WA'],
  [995, 999, 'AK'],
]

/** Islands that share a prefix with somebody else. */
const zipStates: readonly (readonly [number, number, string])[] = [
  [96799, 96799, 'AS'],
  [96939, 96940, 'PW'],
  [96941, 96944, 'FM'],
  [96950, 96952, 'MP'],
  [96960, 96960, 'MH'],
  [96970, 96970, 'MH'],
]

/** The states or territories that a ZIP code may lie in; several where its prefix straddles a border, none if unknown. */
export function statesOfZip(postalCode: string): readonly string[] {
  return statesOfDigits(postalCode.slice(0, 5))
}

/** The orders of a sheet go to the same few ZIP codes. */
const statesOfDigits = remembering((digits): readonly string[] => {
  const zip = Number(digits)
  const island = zipStates.find(([from, to]) => zip >= from && zip <= to)
  if (island !== undefined) return [island[2]]
  const prefix = Math.floor(zip / 100)
  return prefixStates.filter(([from, to]) => prefix >= from && prefix <= to).map(([, , state]) => state)
})

/** A query, and what its first results must be: slugs or questions that match, in this order. */
export interface Judged {
  readonly what: string
  readonly query: string
  readonly first: ReadonlyArray<RegExp>
  /** How the first one must match. */
  readonly match: string
}

/** Over the catalogue of the simulated venue with seed 62. */
export const judgedQueries: ReadonlyArray<Judged> = [
  {
    what: "a whole question",
    query: "Will the Senate pass the Clean Rivers Act by November 30?",
    first: [/^Will the Senate pass the Clean Rivers Act by November 30\?$/],
    match: "exact",
  },
  {
    what: "the title of an event",
    query: "who will win the 2026 slovenia presidential election",
    first: [/Slovenia presidential election/, /Slovenia presidential election/, /Slovenia presidential election/],
    match: "exact",
  },
  {
    what: "a slug",
    query: "epl-avl-liv-2026-11-17-liv",
    first: [/^Will Liverpool FC win on 2026-11-17/],
    match: "exact",
  },
  {
    what: "the beginning of a slug",
    query: "dogecoin-above-0pt166-on-nov",
    first: [/price of Dogecoin be above \$0\.166 on November 20/],
    match: "prefix",
  },
  { what: "one word", query: "hurricane", first: [/hurricane/], match: "words" },
  { what: "a name", query: "odette okafor", first: [/Odette Okafor/], match: "phrase" },
  {
    what: "words in another order",
    query: "okafor odette slovenia",
    first: [/Odette Okafor.*Slovenia/],
    match: "words",
  },
  {
    what: "words far apart",
    query: "brazil minerals",
    first: [/Brazil and Mexico sign a minerals deal/],
    match: "words",
  },
  {
    what: "words of question and event",
    query: "oregon democrats",
    first: [/Democrats win the Oregon/],
    match: "words",
  },
  { what: "an outcome", query: "spread portland timbers", first: [/Spread: Portland Timbers/], match: "phrase" },
  { what: "upper case", query: "CLEAN RIVERS ACT", first: [/Clean Rivers Act/], match: "phrase" },
  { what: "accents", query: "Ódètte Økáfor", first: [/Odette Okafor/], match: "phrase" },
  { what: "punctuation", query: '"golden empire"', first: [/"The Golden Empire"/], match: "phrase" },
  { what: "dollars", query: "bitcoin above $90,000", first: [/Bitcoin be above \$90,000/], match: "phrase" },
  {
    what: "dollars without a comma",
    query: "bitcoin above 90000",
    first: [/Bitcoin be above \$90,000/],
    match: "phrase",
  },
  { what: "a decimal", query: "gas prices 3.50", first: [/gas prices rise above \$3\.50/], match: "words" },
  { what: "one typed letter more", query: "hurr", first: [/hurricane/], match: "prefix" },
  { what: "two words, the second not complete", query: "foldable ph", first: [/foldable phone/], match: "prefix" },
  {
    what: "three words, the last not complete",
    query: "port security a",
    first: [/Port Security Act/],
    match: "prefix",
  },
  { what: "a missing letter", query: "huricane", first: [/hurricane/], match: "similar" },
  { what: "a letter too much", query: "hurrricane", first: [/hurricane/], match: "similar" },
  { what: "a wrong letter", query: "hurricame", first: [/hurricane/], match: "similar" },
  { what: "exchanged letters", query: "hurriacne", first: [/hurricane/], match: "similar" },
  { what: "two typos in a long word", query: "presidantial electoin slovenia", first: [/Slovenia/], match: "similar" },
  { what: "a typo in a short word", query: "sony ai pni", first: [/Sony release an AI pin|Will Sony/], match: "some" },
  {
    what: "a typo in one of several words",
    query: "golden empre opening",
    first: [/"The Golden Empire"/],
    match: "similar",
  },
  {
    what: "a typo in a word that is still typed",
    query: "slovneia presid",
    first: [/Slovenia presidential/],
    match: "similar",
  },
  { what: "a typo in the beginning of a word", query: "hurircan", first: [/hurricane/], match: "similar" },
  { what: "a wrong first letter", query: "gurricane", first: [/hurricane/], match: "similar" },
  { what: "a word that nothing has", query: "hurricane katrina", first: [/hurricane/], match: "some" },
  { what: "the plural", query: "hurricanes", first: [/hurricane/], match: "similar" },
]

/** Invented people are made of these; none is meant to be anyone. Both lengths are prime. */
export const firstNames: ReadonlyArray<string> =
  `Adaeze Alaric Amara Anders Ansel Arjun Beatriz Bram Caius Calla Cedric Dalia Darnell Delphine Desmond Eilidh
  Emeka Esme Farida Felix Garrick Halima Hollis Ines Ishaan Jolene Jorah Kaia Kendrick Lars Leona Lucian Mabel
  Malik Marisol Nadia Niall Odette Oren Priya Quentin Rafaela Soren`.split(/\s+/)

export const lastNames: ReadonlyArray<string> =
  `Abernethy Adeyinka Ashgrove Balewa Barrowman Bexley Brannock Castellane Coldwater Dragomir Dunmarrow Eastbrook
  Escalera Fairbourne Fenwright Galloway Greycastle Halvorsen Hartigan Iturbe Jankovec Kestrel Kirkbride
  Lachance Larkspur Macready Marchetti Nightingale Norquist Okafor Ostrander Pemberley Quillfeather Ravensdale
  Rothwell Santangelo Sterngard Thistlewood Umberland Valcourt Wexford Yarborough Zielinska`.split(/\s+/)

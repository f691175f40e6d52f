/** Edits between two words: inserted, removed, replaced and exchanged neighbouring letters. Above `most` it stops. */
export const editsBetween = (a: string, b: string, most: number): number => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let edits = Math.min((last[j - 1] ?? 0) + (same ? 0 : 1), (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isExchanged) edits = Math.min(edits, (beforeLast[j - 2] ?? 0) + 1)
      row.push(edits)
    }
    if (Math.min(...row) > most) return most + 1
    beforeLast = last
    last = row
  }
  return last[b.length] ?? most + 1
}

/** Typos that a word may have. Short words are too close to each other, and another number is another thing. */
export const toleratedTypos = (word: string): 0 | 1 | 2 => {
  if (/\p{N}/u.test(word)) return 0
  if (word.length >= 8) return 2
  return word.length >= 4 ? 1 : 0
}

/** Typos in the beginning of a word of which the rest is not typed yet. */
const editsInBeginning = (typed: string, word: string): number =>
  Math.min(...[-1, 0, 1].map((more) => editsBetween(typed, word.slice(0, typed.length + more), 1)))

/** Typos between what was typed and a word; undefined if they are too many. */
export const typosBetween = (typed: string, word: string, isBeginning: boolean): 1 | 2 | undefined => {
  const most = toleratedTypos(typed)
  const edits = editsBetween(typed, word, most)
  if (edits <= most) return edits <= 1 ? 1 : 2
  return isBeginning && most > 0 && word.length > typed.length && editsInBeginning(typed, word) <= 1 ? 1 : undefined
}

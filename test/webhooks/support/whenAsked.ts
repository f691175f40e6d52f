import { createInterface } from "node:readline"

/** The other end of `ask`: does what it is asked for, one after the other. A test that was itself killed leaves nobody behind. */
export const whenAsked = (obey: (words: ReadonlyArray<string>) => void) =>
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const [id, ...words] = line.split(" ")
      obey(words)
      process.stdout.write(`done ${id}\n`)
    })
    .on("close", () => process.exit(9))

import { createInterface } from "node:readline"

/** The other end of `ask`: runs commands one after the other. Exits when the test is gone. */
export const whenAsked = (obey: (words: ReadonlyArray<string>) => void) =>
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      const [id, ...words] = line.split(" ")
      obey(words)
      process.stdout.write(`done ${id}\n`)
    })
    .on("close", () => process.exit(9))

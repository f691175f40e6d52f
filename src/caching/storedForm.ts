import { Answer } from "./Answer.ts"

const newline = 10
const header = /^(\d+) (\d+) (\d+) (\d+|-) ([01]) (\S+)$/

/** An answer as Redis keeps it: a line of times that starts with when it was made, then its bytes. */
export const toStored = ({ bytes, tag, times }: Answer): Buffer => {
  const { storedAt, freshUntil, staleUntil, dataAt, isBounded } = times
  const line = `${storedAt} ${freshUntil} ${staleUntil} ${dataAt ?? "-"} ${isBounded ? 1 : 0} ${tag}\n`
  return Buffer.concat([Buffer.from(line), bytes])
}

/** Undefined where it is nothing that this version wrote. */
export const fromStored = (stored: Buffer): Answer | undefined => {
  const end = stored.indexOf(newline)
  const fields = header.exec(stored.toString("latin1", 0, Math.max(end, 0)))
  if (fields === null) return undefined
  const [, storedAt, freshUntil, staleUntil, dataAt, isBounded, tag] = fields
  const times = {
    storedAt: Number(storedAt),
    freshUntil: Number(freshUntil),
    staleUntil: Number(staleUntil),
    dataAt: dataAt === "-" ? undefined : Number(dataAt),
    isBounded: isBounded === "1",
  }
  return new Answer(stored.subarray(end + 1), times, tag)
}

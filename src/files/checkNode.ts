import { Effect } from "effect"
import type { Fact } from "#src/domain/Fact.ts"
import { decodeFacts } from "#src/ledger/batches.ts"
import { ChainNode } from "#src/upstream/chain/ChainNode.ts"
import { rpcUrl } from "#src/upstream/settings.ts"
import type { Sample } from "./checkFiles.ts"
import { FilesRefused } from "./model.ts"

const blocksAtOnce = 8

const refuse = (reason: string) => Effect.fail(new FilesRefused({ reason }))

/** Every property but the tokens of splits and merges, which files do not repeat. */
const textOf = (fact: Fact) =>
  JSON.stringify(
    Object.entries(fact)
      .filter(
        ([name, value]) =>
          value !== undefined && !((fact.kind === "split" || fact.kind === "merge") && name === "tokens"),
      )
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** The first fact that only one of the two has. The contracts may report a result again, which files leave out. */
const differenceOf = (inFiles: ReadonlyArray<Fact>, onNode: ReadonlyArray<Fact>): Fact | undefined => {
  const [stored, expected] = [new Set(inFiles.map(textOf)), new Set(onNode.map(textOf))]
  return (
    inFiles.find((fact) => !expected.has(textOf(fact))) ??
    onNode.find((fact) => fact.kind !== "resolution" && !stored.has(textOf(fact)))
  )
}

const compare = Effect.fnUntraced(function* (samples: ReadonlyArray<Sample>) {
  const node = yield* ChainNode
  const headers = yield* node.headers(samples.map(({ block }) => block.number))
  for (const [i, { block }] of samples.entries()) {
    const header = headers[i]
    if (header === undefined) {
      return yield* refuse(
        `the node has no block ${block.number}, so the files cannot be compared with the chain: set ${rpcUrl.env} to a node that keeps the logs of these blocks`,
      )
    }
    if (header.hash !== block.hash || header.at !== block.at) {
      return yield* refuse(
        `the files have another block ${block.number} than the node: either they are of another chain, or ${rpcUrl.env} is`,
      )
    }
  }
  const found = headers.filter((header) => header !== undefined)
  const read = yield* node.blockLogs(found)
  if (read === undefined) return yield* refuse("the node replaced a block while it was read: try again")
  const logsOf = Map.groupBy(read.logs, ({ block }) => block)
  const factsOf = Map.groupBy(decodeFacts(read.logs).facts, ({ block }) => block)
  for (const { block, facts } of samples) {
    const logs = logsOf.get(block.number)?.length ?? 0
    if (logs !== block.logs) {
      return yield* refuse(
        `block ${block.number} has ${logs} logs of the venue on the node, but ${block.logs} in the files`,
      )
    }
    const fact = differenceOf(facts, factsOf.get(block.number) ?? [])
    if (fact !== undefined) {
      return yield* refuse(
        `block ${block.number}, log ${fact.logIndex}: the files and the node differ in a ${fact.kind}. Do not use these files, or export them again with the present version`,
      )
    }
  }
})

/** Compares blocks of the files with the node: hashes, times, number of logs, and every fact. */
export const compareWithNode = Effect.fnUntraced(function* (samples: ReadonlyArray<Sample>) {
  for (let at = 0; at < samples.length; at += blocksAtOnce) yield* compare(samples.slice(at, at + blocksAtOnce))
})

import { execFile } from "node:child_process"
import { createWriteStream, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import postgres from "postgres"
import { type CopySubject, cap, type TradesQuery } from "../support/exports.ts"
import { expose } from "../support/expose.ts"

const run = promisify(execFile)

const hex = (column: string) => `'0x' || encode(${column}, 'hex')`
const part = (at: number) =>
  `((substr(t.hash, ${at}, 8)::bigint::numeric + 18446744073709551616) % 18446744073709551616)`
const decimal = [1, 9, 17, 25].map(part).reduce((sum, each) => `(${sum} * 18446744073709551616 + ${each})`)

const transaction = "substr(b.transactions, 32 * width_bucket(f.log_index, b.transaction_logs) - 31, 32)"

const newest = ({ id, from, to }: TradesQuery) =>
  `where f.maker = ${id} and f.at >= ${from} and f.at <= ${to}
   order by f.at desc, f.log_index desc limit ${cap}`

const asJson = (query: TradesQuery) => `
  select row_to_json(r) from (
    select ${hex(transaction)} as tx_hash, ${hex("f.order_hash")} as order_hash,
      f.at as timestamp, ${hex("m.address")} as maker, ${hex("k.address")} as taker,
      ${decimal}::text as token_id, case when f.is_sale then 'SELL' else 'BUY' end as direction,
      round(f.usd::numeric / f.shares, 4) as price, f.shares / 1e6 as shares, f.usd / 1e6 as usd, f.fee / 1e6 as fee
    from fill f join wallet m on m.id = f.maker left join wallet k on k.id = f.taker join token t on t.id = f.token
    join block b on b.number = f.block
    ${newest(query)}) r`

const asRows = (query: TradesQuery) => `
  select ${transaction}, f.order_hash, f.at, f.maker, f.taker, f.token, f.is_sale, f.shares, f.usd, f.fee
  from fill f join block b on b.number = f.block ${newest(query)}`

const hasPsql = await run("psql", ["--version"]).then(
  () => true,
  () => false,
)

const byPsql = (url: string, statement: string, file: string) =>
  run("psql", [url, "--no-psqlrc", "-c", `\\copy (${statement.replaceAll(/\s+/g, " ")}) to '${file}'`])

const byDriver = async (url: string, statement: string, file: string) => {
  const sql = postgres(url, { max: 1 })
  await pipeline(await sql.unsafe(`copy (${statement}) to stdout`).readable(), createWriteStream(file))
  await sql.end()
}

const timed = async (url: string, statement: string, file: string) => {
  const since = performance.now()
  await (hasPsql ? byPsql : byDriver)(url, statement, file)
  return { millis: performance.now() - since, bytes: statSync(file).size }
}

expose<CopySubject>({
  name: async () => (hasPsql ? "psql \\copy" : "COPY by postgres.js"),
  trades: async (url, query) => {
    const folder = mkdtempSync(join(tmpdir(), "presage-bench-copy-"))
    try {
      return await timed(url, asJson(query), join(folder, "trades.json"))
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
  rows: (url, query) => timed(url, asRows(query), "/dev/null"),
})

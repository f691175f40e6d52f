import pg from "pg"
import { from } from "pg-copy-streams"

/** Sends encoded rows to Postgres, in one transaction. */
export const rawCopy = async (
  databaseUrl: string,
  copies: ReadonlyArray<{ readonly statement: string; readonly bytes: Buffer }>,
) => {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query("begin")
  for (const { statement, bytes } of copies) {
    await new Promise<void>((resolve, reject) => {
      const stream = client.query(from(statement))
      stream.once("error", reject)
      stream.once("finish", resolve)
      stream.end(bytes)
    })
  }
  await client.query("commit")
  await client.end()
}

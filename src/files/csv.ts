import { createReadStream } from "node:fs"
import { columnsNamed, type FileColumn, type RowBatch, rowsPerBatch, withAllColumns } from "./fileColumns.ts"
import { type FileType, type FileValue, MalformedValue } from "./fileTypes.ts"
import type { Sink, TableWriter } from "./TableWriter.ts"

const wholeNumber = /^-?\d{1,19}$/

/** No value has a comma, a quote or a line break, so nothing is quoted. */
const lineOf = (values: ReadonlyArray<FileValue>) => `${values.map((value) => value ?? "").join(",")}\n`

const parsed = (text: string, { physical, isOptional }: FileType): FileValue => {
  if (isOptional && text === "") return null
  switch (physical) {
    case "INT32":
      return wholeNumber.test(text) ? Number(text) : text
    case "INT64":
      return wholeNumber.test(text) ? BigInt(text) : text
    case "BOOLEAN":
      return text === "true" ? true : text === "false" ? false : text
    case "STRING":
      return text
  }
}

export const csvWriter = (columns: ReadonlyArray<FileColumn>, sink: Sink): TableWriter => {
  let header = lineOf(columns.map(({ name }) => name))
  return {
    write: async (values) => {
      const lines = [header]
      header = ""
      for (let row = 0; row < (values[0]?.length ?? 0); row++) {
        lines.push(lineOf(values.map((column) => column[row] ?? null)))
      }
      await sink(Buffer.from(lines.join("")))
    },
    finish: async () => {
      if (header !== "") await sink(Buffer.from(header))
    },
  }
}

async function* linesOf(path: string): AsyncGenerator<ReadonlyArray<string>> {
  let rest = ""
  for await (const chunk of createReadStream(path, { encoding: "latin1", highWaterMark: 1 << 20 })) {
    const lines = (rest + chunk).split("\n")
    rest = lines.pop() ?? ""
    yield lines
  }
  if (rest !== "") yield [rest]
}

const batchOf = (lines: ReadonlyArray<string>, columns: ReadonlyArray<FileColumn>): RowBatch => {
  const values = columns.map(() => new Array<FileValue>(lines.length))
  lines.forEach((line, row) => {
    const cells = line.split(",")
    if (cells.length !== columns.length) {
      throw new MalformedValue(`a line has ${cells.length} values instead of ${columns.length}: ${line.slice(0, 80)}`)
    }
    cells.forEach((cell, i) => {
      const type = (columns[i] as FileColumn).type
      ;(values[i] as Array<FileValue>)[row] = parsed(cell, type)
    })
  })
  return { rows: lines.length, values }
}

export async function* readCsv(path: string, columns: ReadonlyArray<FileColumn>): AsyncGenerator<RowBatch> {
  let found: ReadonlyArray<FileColumn> | undefined
  let waiting: Array<string> = []
  for await (const lines of linesOf(path)) {
    for (const line of lines) {
      if (found === undefined) {
        found = columnsNamed(columns, line)
        if (found === undefined)
          throw new MalformedValue(`its first line is not ${columns.map(({ name }) => name).join()}`)
        continue
      }
      waiting.push(line)
      if (waiting.length < rowsPerBatch) continue
      yield withAllColumns(columns, batchOf(waiting, found))
      waiting = []
    }
  }
  if (waiting.length > 0) yield withAllColumns(columns, batchOf(waiting, found ?? columns))
}

import type { ComponentChildren } from "preact"
import { Empty } from "./States.tsx"

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => ComponentChildren
  /** Numbers are aligned to the right and use figures of equal width. */
  readonly isNumber?: boolean
}

/** A table that scrolls inside its frame. */
export const Table = <Row,>({
  label,
  columns,
  rows,
  rowKey,
  empty = "Nothing here yet.",
}: {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly rowKey: (row: Row) => string | number
  readonly empty?: ComponentChildren
}) =>
  rows.length === 0 ? (
    <Empty>{empty}</Empty>
  ) : (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by keyboard
    <section class="table-frame" aria-label={label} tabIndex={0}>
      <table class="records">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={column.isNumber ? "number" : ""}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.label} class={column.isNumber ? "number" : ""}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )

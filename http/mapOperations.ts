import { Record } from "effect"

/** The operations of an OpenAPI document, by path and method. */
export type Paths<Operation> = Readonly<Record<string, Readonly<Record<string, Operation>>>>

/** Changes each of them; `at` is its method and path. */
export const mapOperations = <A, B>(paths: Paths<A>, change: (operation: A, at: string) => B): Paths<B> =>
  Record.map(paths, (operations, path) =>
    Record.map(operations, (operation, method) => change(operation, `${method} ${path}`)),
  )

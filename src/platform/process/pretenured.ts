/**
 * V8 allocates a function literal that is assigned to a property in the old generation, as if it were a method. Where a
 * library does so for every operation, each of these functions keeps all that it refers to, until the next full collection:
 * a fiber with the rows it returned, a command with its reply. A page of 100 trades left 350 kB behind, every minor
 * collection copied them (6 to 14 ms, now 1), and full ones followed all the time.
 *
 * A literal that is no direct operand of the assignment is allocated like everything else.
 */
export interface Assignment {
  /** Within `node_modules`. */
  readonly file: string
  readonly format: "module" | "commonjs"
  readonly property: string
  /** The function, as the file has it. */
  readonly literal: string
}

export const assignments: ReadonlyArray<Assignment> = [
  {
    file: "effect/dist/internal/effect.js",
    format: "module",
    property: "fiber._yielded",
    literal: `() => {
        resumed = true;
      }`,
  },
  {
    file: "ioredis/built/Command.js",
    format: "commonjs",
    property: "this.reject",
    literal: `(err) => {
                this._clearTimers();
                this.isSettled = true;
                if (this.errorStack) {
                    reject((0, utils_1.optimizeErrorStack)(err, this.errorStack.stack, __dirname));
                }
                else {
                    reject(err);
                }
            }`,
  },
]

/** How the file assigns the function. */
export const statementOf = ({ property, literal }: Assignment): string => `${property} = ${literal};`

/** The source of a file as it is loaded; one that differs, as in another version, stays as it is. */
export const rewrite = (source: string, assignment: Assignment): string =>
  source.replace(statementOf(assignment), () => `${assignment.property} = (0, ${assignment.literal});`)

/**
 * V8 allocates a function literal that is assigned to a property in the old generation, as if it were a method. Where a
 * library does so for every operation, each of these functions keeps all that it refers to, until the next full collection:
 * a fiber with the rows it returned, a command with its reply. A page of 100 trades left 350 kB behind, every minor
 * collection copied them (6 to 14 ms, now 1), and full ones followed all the time.
 *
 * A literal that is no direct operand of the assignment is allocated like everything else.
 */
export interface Rewrite {
  /** Within `node_modules`. */
  readonly file: string
  readonly format: "module" | "commonjs"
  readonly from: string
  readonly to: string
}

export const rewrites: ReadonlyArray<Rewrite> = [
  {
    file: "effect/dist/internal/effect.js",
    format: "module",
    from: `
      fiber._yielded = () => {
        resumed = true;
      };`,
    to: `
      fiber._yielded = (0, () => {
        resumed = true;
      });`,
  },
  {
    file: "ioredis/built/Command.js",
    format: "commonjs",
    from: `
            this.reject = (err) => {
                this._clearTimers();
                this.isSettled = true;
                if (this.errorStack) {
                    reject((0, utils_1.optimizeErrorStack)(err, this.errorStack.stack, __dirname));
                }
                else {
                    reject(err);
                }
            };`,
    to: `
            this.reject = (0, (err) => {
                this._clearTimers();
                this.isSettled = true;
                if (this.errorStack) {
                    reject((0, utils_1.optimizeErrorStack)(err, this.errorStack.stack, __dirname));
                }
                else {
                    reject(err);
                }
            });`,
  },
]

/** The source of a file as it is loaded; one that differs, as in another version, stays as it is. */
export const rewrite = (source: string, { from, to }: Rewrite): string => source.replace(from, () => to)

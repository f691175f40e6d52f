import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { jsonInParts } from "#src/upstream/jsonInParts.ts"

const read = (text: string) => Effect.runPromiseExit(jsonInParts(text))
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Long enough to be parsed in parts. */
const filler = JSON.stringify(
  Array.from({ length: 4_000 }, (_, id) => ({ id, text: `an "event", ] or } of \\ ${id} €` })),
)

describe("A long answer that is parsed in parts", () => {
  it("is what it is when it is parsed at once, or no JSON at all", async () => {
    const [row] = JSON.parse(filler) as ReadonlyArray<unknown>
    const texts = [
      filler,
      ` \n[ ${filler} , [] , "," , {"a":[1,{"b":"]"}]} ]\n`,
      `{"events":${filler},"next_cursor":"a,]}"}`,
      `{"a" : [ ] ,"events":[${JSON.stringify(row)}],"more":{"x":[1,[2]],"events":${filler}},"n":-0.5e3,"z":[[1],[]]}`,
      `{"__proto__":[1],"a":${filler},"a":[2],"1":null}`,
      `{"ends":"\\\\","list":["\\"","\\\\\\"",${filler}]}`,
      JSON.stringify("x".repeat(100_000)),
      `{"a":${filler}`,
      `{"a":${filler}}}`,
      `{"a":${filler},}`,
      `{"a":${filler} ${filler}}`,
      `{"a":${filler.slice(0, -1)}}`,
      `{"a":${filler.slice(0, -1)},]}`,
      `{"a":[,${filler}]}`,
      `{${filler}}`,
      `[${filler},]`,
      `[${filler}}`,
      `${filler}]`,
      `${filler}x`,
      filler.slice(0, -2),
      filler.slice(0, 90_000),
      `["${"x".repeat(100_000)}`,
    ]
    for (const text of texts) {
      const exit = await read(text)
      const name = `${text.slice(0, 40)} … ${text.slice(-40)}`
      assert.deepStrictEqual(Exit.isSuccess(exit) ? exit.value : undefined, parse(text), name)
      if (Exit.isFailure(exit)) assert.match(String(exit.cause), /SyntaxError/, name)
    }
  })

  it.effect("does not hold up other fibers until its end", () =>
    Effect.gen(function* () {
      let turns = 0
      const other = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow,
          ),
        ),
      )
      const text = `{"events":${filler},"next_cursor":"a"}`
      yield* jsonInParts(text)
      assert.isAtLeast(turns, Math.floor(text.length / (128 * 1024)))
      assert.isAbove(turns, 1)
      yield* Fiber.interrupt(other)
    }),
  )
})

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { readRecording } from "#src/recording/RecordingReader.ts"
import { openRecording } from "#src/recording/RecordingWriter.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "presage-hostile-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const frames = Array.from({ length: 500 }, (_, i) => ({
  at: 1_000 + i,
  text: `{"tick":${i},"noise":"${Math.sin(i)}"}`,
}))

const written = Effect.fnUntraced(function* (maxBytes = 1_000_000) {
  const dir = join(yield* directory, "recording")
  const { writer, finish } = yield* openRecording({ dir, upstream: "simulator", maxBytes, clean: (line) => line })
  for (const frame of frames) writer.write("rtds", frame)
  const manifest = yield* finish(Exit.void)
  return { dir, manifest }
})

const problemOf = (dir: string) => Effect.map(Effect.flip(readRecording(dir)), ({ message }) => message)

const changeManifest = (dir: string, change: (manifest: Record<string, unknown>) => Record<string, unknown>) => {
  const path = join(dir, "manifest.json")
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))))
}

describe("A recording", () => {
  it.live("is read as it was written", () =>
    Effect.gen(function* () {
      const { dir, manifest } = yield* written()
      const recording = yield* readRecording(dir)
      assert.deepStrictEqual(recording.manifest, manifest)
      assert.deepStrictEqual(recording.frames.get("rtds"), frames)
      assert.strictEqual(manifest.ended, "complete")
    }),
  )

  it.live("ends before it exceeds its largest size", () =>
    Effect.gen(function* () {
      const { dir, manifest } = yield* written(2_000)
      assert.strictEqual(manifest.ended, "size")
      assert.isBelow(manifest.files.rtds?.bytes ?? 0, 2_000)
      const { frames: read } = yield* readRecording(dir)
      assert.deepStrictEqual(read.get("rtds"), frames.slice(0, manifest.files.rtds?.lines))
    }),
  )

  it.live("is not written over another one", () =>
    Effect.gen(function* () {
      const { dir } = yield* written()
      const again = openRecording({ dir, upstream: "simulator", maxBytes: 1, clean: (line) => line })
      assert.match((yield* Effect.flip(again)).message, /is not empty: choose another directory/)
    }),
  )

  it.live("that is damaged or of another version is refused with the reason", () =>
    Effect.gen(function* () {
      const missing = yield* directory
      assert.match(
        yield* problemOf(missing),
        /manifest\.json is missing: .* is no recording, or one that was not finished/,
      )

      const { dir } = yield* written()
      const path = join(dir, "rtds.ndjson.gz")
      const whole = readFileSync(path)
      writeFileSync(path, whole.subarray(0, whole.length / 2))
      assert.match(yield* problemOf(dir), /rtds\.ndjson\.gz: unexpected end of file/)
      writeFileSync(path, "not compressed")
      assert.match(yield* problemOf(dir), /rtds\.ndjson\.gz: incorrect header check/)
      writeFileSync(path, gzipSync(`${JSON.stringify(frames[0])}\n`))
      assert.match(yield* problemOf(dir), /rtds\.ndjson\.gz is incomplete: 1 of 500 lines/)
      writeFileSync(path, gzipSync('{"at":"soon"}\n'))
      assert.match(yield* problemOf(dir), /rtds\.ndjson\.gz: line 1: /)
      writeFileSync(path, gzipSync("0".repeat(50_000_000)))
      assert.match(yield* problemOf(dir), /rtds\.ndjson\.gz: more than the \d+ bytes in manifest\.json/)
      rmSync(path)
      assert.match(yield* problemOf(dir), /rtds\.ndjson\.gz: ENOENT/)

      changeManifest(dir, (manifest) => ({ ...manifest, files: { "../../../etc/passwd": { lines: 1, bytes: 1 } } }))
      assert.match(yield* problemOf(dir), /manifest\.json: "\.\.\/\.\.\/\.\.\/etc\/passwd" is no source of a recording/)
      changeManifest(dir, (manifest) => ({ ...manifest, version: 2 }))
      assert.match(yield* problemOf(dir), /version 2 of the format; this Presage reads version 1/)
      changeManifest(dir, () => ({ hello: "world" }))
      assert.match(yield* problemOf(dir), /the format is not presage-recording/)
      writeFileSync(join(dir, "manifest.json"), "{")
      assert.match(yield* problemOf(dir), /manifest\.json is not JSON/)
    }),
  )
})

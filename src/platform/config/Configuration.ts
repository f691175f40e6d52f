import { Context, Effect, Layer, Option, Result, Schema, Stream, SubscriptionRef } from "effect"
import { exitCodes } from "../process/exitCodes.ts"
import * as Setting from "./Setting.ts"

/** Where a value comes from; later sources win. */
export const sources = ["default", "file", "environment", "command line", "live override"] as const
export type SettingSource = (typeof sources)[number]

interface Resolved {
  readonly value: unknown
  readonly source: SettingSource
}

export interface SettingRow {
  readonly name: string
  readonly env: string
  readonly value: string
  readonly source: SettingSource
  readonly default: string
  readonly live: boolean
  readonly wants: string
  readonly doc: string
}

/** All problems of the configuration at once. */
export class BadSettings extends Schema.TaggedError<BadSettings>()("BadSettings", {
  problems: Schema.Array(Schema.String),
}) {
  readonly exitCode = exitCodes.badUsage
  override get message() {
    return this.problems.join("\n")
  }
}

export interface SettingInputs {
  readonly declared: ReadonlyArray<Setting.AnySetting>
  /** The parsed `presage.config.json`: setting names to values. */
  readonly file: { readonly path: string; readonly values: Readonly<Record<string, unknown>> }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags: Readonly<Record<string, string>>
}

/** The effective value of every setting, including live changes. */
export class Configuration extends Context.Service<
  Configuration,
  {
    readonly get: <A>(setting: Setting.Setting<A>) => A
    /** Emits the current value, then every change. */
    readonly watch: <A>(setting: Setting.Setting<A>) => Stream.Stream<A>
    readonly find: (name: string) => Option.Option<Setting.AnySetting>
    readonly rows: () => ReadonlyArray<SettingRow>
    /** Replaces the live overrides; returns the problems of those that are invalid and therefore skipped. */
    readonly applyOverrides: (overrides: ReadonlyMap<string, string>) => Effect.Effect<ReadonlyArray<string>>
  }
>()("presage/platform/Configuration") {
  static readonly layer = (inputs: SettingInputs) => Layer.effect(Configuration, make(inputs))
}

const textOf = (raw: unknown): string =>
  typeof raw === "string" ? raw : Array.isArray(raw) ? raw.join(",") : String(raw)

const resolve = (inputs: SettingInputs) => {
  const problems: Array<string> = []
  const resolved = new Map<string, Resolved>()
  const known = new Set(inputs.declared.map((s) => s.name))
  if (known.size < inputs.declared.length) throw new Error("two settings have the same name")
  for (const name of Object.keys(inputs.file.values)) {
    if (!known.has(name))
      problems.push(`${inputs.file.path}: unknown setting ${JSON.stringify(name)}; see 'presage config'`)
  }
  for (const name of Object.keys(inputs.flags)) {
    if (!known.has(name)) problems.push(`--set ${name}: unknown setting; see 'presage config'`)
  }
  for (const setting of inputs.declared) {
    const layers: ReadonlyArray<readonly [SettingSource, string, unknown]> = [
      ["file", `${inputs.file.path}: ${setting.name}`, inputs.file.values[setting.name]],
      // Shells and compose files unset a variable by making it empty.
      ["environment", setting.env, inputs.env[setting.env] || undefined],
      ["command line", `command line: ${setting.name}`, inputs.flags[setting.name]],
    ]
    let current: Resolved = { value: setting.default, source: "default" }
    for (const [source, label, raw] of layers) {
      if (raw === undefined) continue
      const result = Setting.read(setting, textOf(raw))
      if (Result.isSuccess(result)) current = { value: result.success, source }
      else problems.push(`${label}: ${result.failure}`)
    }
    resolved.set(setting.name, current)
  }
  return { problems, resolved }
}

const make = Effect.fnUntraced(function* (inputs: SettingInputs) {
  const { problems, resolved: base } = resolve(inputs)
  if (problems.length > 0) return yield* new BadSettings({ problems })
  const byName = new Map(inputs.declared.map((s) => [s.name, s]))
  const ref = yield* SubscriptionRef.make<ReadonlyMap<string, Resolved>>(base)

  const lookup = (map: ReadonlyMap<string, Resolved>, setting: Setting.AnySetting): Resolved => {
    const found = map.get(setting.name)
    if (found === undefined) throw new Error(`setting ${setting.name} is not in the list of declared settings`)
    return found
  }

  const rowsOf = (map: ReadonlyMap<string, Resolved>): ReadonlyArray<SettingRow> =>
    inputs.declared.map((setting) => {
      const { value, source } = lookup(map, setting)
      const { name, env, live, wants, doc } = setting
      const [shown, unset] = [Setting.show(setting, value), Setting.show(setting, setting.default)]
      return { name, env, value: shown, source, default: unset, live, wants, doc }
    })
  // Every process reads overrides and publishes its settings each second; they hardly ever change.
  let applied: { readonly text: string; readonly problems: ReadonlyArray<string> } = { text: "[]", problems: [] }
  let rows: { readonly of: ReadonlyMap<string, Resolved>; readonly list: ReadonlyArray<SettingRow> } | undefined

  return Configuration.of({
    get: (setting) => lookup(SubscriptionRef.getUnsafe(ref), setting).value as never,
    watch: (setting) =>
      SubscriptionRef.changes(ref).pipe(
        Stream.map((map) => lookup(map, setting).value as never),
        Stream.changes,
      ),
    find: (name) => Option.fromUndefinedOr(byName.get(name)),
    rows: () => {
      const map = SubscriptionRef.getUnsafe(ref)
      if (map !== rows?.of) rows = { of: map, list: rowsOf(map) }
      return rows.list
    },
    applyOverrides: (overrides) => {
      const text = JSON.stringify([...overrides])
      if (text === applied.text) return Effect.succeed(applied.problems)
      const next = new Map(base)
      const problems: Array<string> = []
      for (const [name, given] of overrides) {
        const setting = byName.get(name)
        const result = setting?.live ? Setting.read(setting, given) : Result.fail("it cannot be changed at run time")
        if (Result.isSuccess(result)) next.set(name, { value: result.success, source: "live override" })
        else problems.push(`${name}: ${result.failure}`)
      }
      applied = { text, problems }
      return Effect.as(SubscriptionRef.set(ref, next), problems)
    },
  })
})

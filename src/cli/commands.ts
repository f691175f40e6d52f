import type { descriptions } from "./descriptions.ts"

type Name = keyof typeof descriptions

/** Loads a command. Each is loaded alone, because all together take seconds. */
export const loadCommand = {
  start: async () => (await import("./start.ts")).start,
  config: async () => (await import("./config.ts")).config,
  tune: async () => (await import("./tune.ts")).tune,
  migrate: async () => (await import("./maintenance.ts")).migrate,
  doctor: async () => (await import("./doctor.ts")).doctor,
  status: async () => (await import("./status.ts")).status,
  verify: async () => (await import("./maintenance.ts")).verify,
  rebuild: async () => (await import("./maintenance.ts")).rebuild,
  backfill: async () => (await import("./maintenance.ts")).backfill,
  ledger: async () => (await import("./ledger.ts")).ledger,
  export: async () => (await import("./files.ts")).exportFiles,
  import: async () => (await import("./files.ts")).importFiles,
  "explain-tx": async () => (await import("./explainTx.ts")).explainTx,
  record: async () => (await import("./record.ts")).record,
  replay: async () => (await import("./replay.ts")).replay,
  keys: async () => (await import("./keys.ts")).keys,
  accounts: async () => (await import("./accounts.ts")).accounts,
  webhooks: async () => (await import("./webhooks.ts")).webhooks,
} satisfies Readonly<Record<Name, () => Promise<unknown>>>

export const isCommand = (name: string | undefined): name is Name =>
  name !== undefined && Object.hasOwn(loadCommand, name)

/** Every command, in the order of the help page. */
export const loadCommands = () => Promise.all(Object.values(loadCommand).map((load) => load()))

import * as Setting from "#src/platform/config/Setting.ts"

export const webhooksAllowInsecure = Setting.oneOf("webhooks.allow-insecure", ["false", "true"], {
  default: "false",
  doc: "For trying things out: webhooks may also go to http, to any port and to this machine itself",
})

export const webhooksPorts = Setting.text("webhooks.ports", {
  default: "443",
  pattern: /^\d{1,5}(,\d{1,5}){0,19}$/,
  wants: "1 to 20 ports separated by commas, such as 443,8443",
  doc: "Ports to which webhooks may go",
})

export const webhooksConfirmations = Setting.int("webhooks.confirmations", {
  default: 3,
  min: 0,
  max: 200,
  live: true,
  doc: "Blocks that must follow the one of a fact before webhooks are told of it",
})

export const webhooksQuiet = Setting.duration("webhooks.quiet", {
  default: "30 seconds",
  min: "1 second",
  max: "1 hour",
  live: true,
  doc: "Time of the chain without a fill after which an order is taken for complete",
})

export const webhooksBatch = Setting.int("webhooks.batch", {
  default: 2_000,
  min: 1,
  max: 50_000,
  live: true,
  doc: "Entries of the event log that a poller of webhooks reads at a time",
})

export const webhooksDeadline = Setting.duration("webhooks.deadline", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "Time in which a webhook must answer, from looking up its name to the status line",
})

export const webhooksRetries = Setting.delays("webhooks.retries", {
  default: ["10 seconds", "60 seconds", "5 minutes", "1 hour"],
  live: true,
  doc: "Waits before each further attempt of a delivery; after the last one it has failed",
})

export const webhooksInFlight = Setting.int("webhooks.in-flight", {
  default: 8,
  min: 1,
  max: 1_000,
  live: true,
  doc: "Attempts that one process makes at a time to one host for one account",
})

export const webhooksSlow = Setting.duration("webhooks.slow", {
  default: "2 seconds",
  min: "50 millis",
  max: "1 minute",
  live: true,
  doc: "Hosts that mostly take longer than this, or fail to answer, are served in a lane of their own",
})

export const webhooksRetention = Setting.duration("webhooks.retention", {
  default: "7 days",
  min: "1 hour",
  max: "90 days",
  live: true,
  doc: "How long deliveries and their attempts are kept",
})

export const webhooksOverlap = Setting.duration("webhooks.overlap", {
  default: "1 day",
  min: "0 millis",
  max: "30 days",
  live: true,
  doc: "How long the secret before a rotation is still signed with, in a second header",
})

export const webhooksDisableAfter = Setting.duration("webhooks.disable-after", {
  default: "3 days",
  min: "1 second",
  max: "90 days",
  live: true,
  doc: "A webhook is disabled when its deliveries have failed for so long without one success",
})

export const webhooksDisableFailures = Setting.int("webhooks.disable-failures", {
  default: 10,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "And when at least so many deliveries have failed meanwhile",
})

export const webhooksPreview = Setting.int("webhooks.preview", {
  default: 100_000,
  min: 100,
  max: 10_000_000,
  live: true,
  doc: "Entries of the event log that a preview looks at, the newest ones of the kinds that it reads",
})

export const webhooksPreviewBudget = Setting.duration("webhooks.preview-budget", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "Time that a preview may take; it shows as much of the newest as it has looked at by then",
})

export const webhooksSettings: ReadonlyArray<Setting.AnySetting> = [
  webhooksAllowInsecure,
  webhooksPorts,
  webhooksConfirmations,
  webhooksQuiet,
  webhooksBatch,
  webhooksDeadline,
  webhooksRetries,
  webhooksInFlight,
  webhooksSlow,
  webhooksRetention,
  webhooksOverlap,
  webhooksDisableAfter,
  webhooksDisableFailures,
  webhooksPreview,
  webhooksPreviewBudget,
]

import * as Setting from "#src/platform/config/Setting.ts"

export const webhooksAllowInsecure = Setting.oneOf("webhooks.allow-insecure", ["false", "true"], {
  default: "false",
  doc: "For development: webhooks may also use http, any port and this machine",
})

export const webhooksPorts = Setting.text("webhooks.ports", {
  default: "443",
  pattern: /^\d{1,5}(,\d{1,5}){0,19}$/,
  wants: "1 to 20 ports separated by commas, for example 443,8443",
  doc: "Ports that webhooks may use",
})

export const webhooksConfirmations = Setting.int("webhooks.confirmations", {
  default: 3,
  min: 0,
  max: 200,
  live: true,
  doc: "Blocks that must follow a fact's block before it is delivered",
})

export const webhooksQuiet = Setting.duration("webhooks.quiet", {
  default: "30 seconds",
  min: "1 second",
  max: "1 hour",
  live: true,
  doc: "Block time without a fill after which an order is complete",
})

export const webhooksBatch = Setting.int("webhooks.batch", {
  default: 2_000,
  min: 1,
  max: 50_000,
  live: true,
  doc: "Event log entries that a webhook poller reads per batch",
})

export const webhooksDeadline = Setting.duration("webhooks.deadline", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "Time in which an endpoint must answer, from resolving its name to the status line",
})

export const webhooksRetries = Setting.delays("webhooks.retries", {
  default: ["10 seconds", "60 seconds", "5 minutes", "1 hour"],
  live: true,
  doc: "Delays before each further attempt of a delivery; after the last one it has failed",
})

export const webhooksInFlight = Setting.int("webhooks.in-flight", {
  default: 8,
  min: 1,
  max: 1_000,
  live: true,
  doc: "Concurrent attempts of one process to one host for one account",
})

export const webhooksSlow = Setting.duration("webhooks.slow", {
  default: "2 seconds",
  min: "50 millis",
  max: "1 minute",
  live: true,
  doc: "Hosts that mostly take longer, or fail to answer, are served in a separate lane",
})

export const webhooksRetention = Setting.duration("webhooks.retention", {
  default: "7 days",
  min: "1 hour",
  max: "90 days",
  live: true,
  doc: "Retention of deliveries and their attempts",
})

export const webhooksOverlap = Setting.duration("webhooks.overlap", {
  default: "1 day",
  min: "0 millis",
  max: "30 days",
  live: true,
  doc: "How long deliveries are also signed with the previous secret after a rotation, in a second header",
})

export const webhooksDisableAfter = Setting.duration("webhooks.disable-after", {
  default: "3 days",
  min: "1 second",
  max: "90 days",
  live: true,
  doc: "A webhook is disabled after its deliveries have failed this long without a success",
})

export const webhooksDisableFailures = Setting.int("webhooks.disable-failures", {
  default: 10,
  min: 1,
  max: 1_000_000,
  live: true,
  doc: "Failed deliveries that are also required before a webhook is disabled",
})

export const webhooksPreview = Setting.int("webhooks.preview", {
  default: 100_000,
  min: 100,
  max: 10_000_000,
  live: true,
  doc: "Event log entries that a preview reads, the newest of the kinds that it needs",
})

export const webhooksPreviewBudget = Setting.duration("webhooks.preview-budget", {
  default: "5 seconds",
  min: "100 millis",
  max: "1 minute",
  live: true,
  doc: "Time limit of a preview; it covers the newest entries read by then",
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

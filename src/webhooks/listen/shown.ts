import { harmless } from "#src/platform/text/harmless.ts"
import type { Delivery } from "./Delivery.ts"

const mostShown = 600

const shortened = (text: string) => (text.length > mostShown ? `${text.slice(0, mostShown)}…` : text)

const colours = { good: "\u001b[32m", bad: "\u001b[31m", odd: "\u001b[33m", faint: "\u001b[2m" }

const painter = (isColoured: boolean) => (colour: keyof typeof colours, text: string) =>
  isColoured ? `${colours[colour]}${text}\u001b[0m` : text

const signatures = { main: "signature ok", previous: "signature ok by the secret before", standard: "standard ok" }

/** A delivery for people: one line of what it is, and below it what it says. */
export const shown = (delivery: Delivery, isColoured: boolean): string => {
  const { at, attempt, envelope, verdict, isDuplicate, status, body } = delivery
  const paint = painter(isColoured)
  const parts = [
    paint("faint", new Date(at).toISOString().slice(11, 23)),
    harmless(shortened(envelope?.type ?? "no delivery")),
    ...(attempt === "" ? [] : [`attempt ${harmless(shortened(attempt))}`]),
    verdict.ok
      ? paint("good", verdict.by.map((each) => signatures[each]).join(", "))
      : paint("bad", `refused: ${verdict.reason}`),
    ...(isDuplicate ? [paint("odd", "duplicate")] : []),
    paint(status >= 200 && status < 300 ? "good" : "bad", `-> ${status}`),
    paint("faint", harmless(shortened(envelope?.id ?? delivery.path))),
  ]
  const said = envelope === undefined ? body.toString("utf8", 0, mostShown) : JSON.stringify(envelope.data)
  return `${parts.join("  ")}\n  ${harmless(shortened(said))}`
}

/** The same for machines. */
export const asJson = (delivery: Delivery) => {
  const { at, path, webhook, attempt, envelope, verdict, isDuplicate, status, body } = delivery
  return {
    received_at: new Date(at).toISOString(),
    path,
    webhook_id: webhook,
    event_id: envelope?.id ?? null,
    type: envelope?.type ?? null,
    attempt: attempt === "" ? null : attempt,
    verified: verdict.ok,
    ...(verdict.ok ? { signatures: verdict.by } : { reason: verdict.reason }),
    duplicate: isDuplicate,
    answered: status,
    ...(envelope === undefined ? { body: body.toString("utf8", 0, mostShown) } : { data: envelope.data }),
  }
}

import { replaceControlCharacters } from "#src/platform/text/controlCharacters.ts"
import type { ReceivedDelivery } from "./listen.ts"

const maxLength = 600

const shortened = (text: string) => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)

const colours = { good: "\u001b[32m", bad: "\u001b[31m", odd: "\u001b[33m", faint: "\u001b[2m" }

const painter = (isColoured: boolean) => (colour: keyof typeof colours, text: string) =>
  isColoured ? `${colours[colour]}${text}\u001b[0m` : text

const signatures = { main: "signature ok", previous: "signature ok (previous secret)", standard: "standard ok" }

/** A delivery as text: a summary line, and its data below. */
export const formatDelivery = (delivery: ReceivedDelivery, isColoured: boolean): string => {
  const { at, attempt, envelope, verification, isDuplicate, status, body } = delivery
  const paint = painter(isColoured)
  const parts = [
    paint("faint", new Date(at).toISOString().slice(11, 23)),
    replaceControlCharacters(shortened(envelope?.type ?? "not a delivery")),
    ...(attempt === "" ? [] : [`attempt ${replaceControlCharacters(shortened(attempt))}`]),
    verification.ok
      ? paint("good", verification.by.map((each) => signatures[each]).join(", "))
      : paint("bad", `refused: ${verification.reason}`),
    ...(isDuplicate ? [paint("odd", "duplicate")] : []),
    paint(status >= 200 && status < 300 ? "good" : "bad", `-> ${status}`),
    paint("faint", replaceControlCharacters(shortened(envelope?.id ?? delivery.path))),
  ]
  const content = envelope === undefined ? body.toString("utf8", 0, maxLength) : JSON.stringify(envelope.data)
  return `${parts.join("  ")}\n  ${replaceControlCharacters(shortened(content))}`
}

/** The same as JSON. */
export const deliveryJson = (delivery: ReceivedDelivery) => {
  const { at, path, webhook, attempt, envelope, verification, isDuplicate, status, body } = delivery
  return {
    received_at: new Date(at).toISOString(),
    path,
    webhook_id: webhook,
    event_id: envelope?.id ?? null,
    type: envelope?.type ?? null,
    attempt: attempt === "" ? null : attempt,
    verified: verification.ok,
    ...(verification.ok ? { signatures: verification.by } : { reason: verification.reason }),
    duplicate: isDuplicate,
    answered: status,
    ...(envelope === undefined ? { body: body.toString("utf8", 0, maxLength) } : { data: envelope.data }),
  }
}

import { createHmac, timingSafeEqual } from "node:crypto"

// Written from the promise to receivers in docs/webhooks.md. Shares no code with the signer, so that each tests the other.

export interface Incoming {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The raw bytes: a parsed and reserialized body may differ. */
  readonly body: Uint8Array
}

/** Signatures of a delivery that our secret verifies. */
export type Signature = "main" | "previous" | "standard"

export type VerifyResult =
  | { readonly ok: true; readonly by: ReadonlyArray<Signature> }
  | { readonly ok: false; readonly reason: string }

/** Seconds. Prevents replaying a recorded delivery. */
const maxAge = 300

const isSame = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** The key that Standard Webhooks libraries derive from a secret. */
const standardKey = (secret: string): Buffer => {
  const text = secret.replace(/^whsec_/, "")
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  return Buffer.from(text, isBase64 ? "base64" : "utf8")
}

/** Whether a delivery was signed with the secret, and recently. */
export const verify = ({ headers, body }: Incoming, secret: string, nowMillis: number): VerifyResult => {
  const header = (name: string) => String(headers[name] ?? "")
  const [time, standardTime] = [header("x-webhook-timestamp"), header("webhook-timestamp")]
  const ours = `sha256=${createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex")}`
  const signed = createHmac("sha256", standardKey(secret))
    .update(`${header("webhook-id")}.${standardTime}.`)
    .update(body)
  const standard = `v1,${signed.digest("base64")}`
  const given = {
    main: { time, is: isSame(header("x-webhook-signature"), ours) },
    previous: { time, is: isSame(header("x-webhook-signature-previous"), ours) },
    standard: {
      time: standardTime,
      is: header("webhook-signature")
        .split(" ")
        .some((each) => isSame(each, standard)),
    },
  }
  const by = (["main", "previous", "standard"] as const).filter((name) => given[name].is)
  const [first] = by
  if (first === undefined) {
    const isUnsigned = header("x-webhook-signature") === "" && header("webhook-signature") === ""
    return { ok: false, reason: isUnsigned ? "not signed" : "not signed with this secret" }
  }
  const age = Math.round(nowMillis / 1000) - Number(given[first].time)
  if (age > maxAge) return { ok: false, reason: `signed ${age} s ago, more than ${maxAge}` }
  // Also if the time is not a number.
  return age >= -maxAge ? { ok: true, by } : { ok: false, reason: "signed in the future: check the clocks" }
}

import { createHmac, timingSafeEqual } from "node:crypto"

// Written from what README promises to receivers. It shares nothing with whoever signs, so that each is a test of the other.

export interface Incoming {
  /** By name in small letters. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The bytes as they came: a body that was parsed and written again need not be the same. */
  readonly body: Uint8Array
}

/** Which of the signatures that a delivery carries was by our secret. */
export type Signature = "main" | "previous" | "standard"

export type Verdict =
  | { readonly ok: true; readonly by: ReadonlyArray<Signature> }
  | { readonly ok: false; readonly reason: string }

/** Seconds. Without such a limit whoever has seen a delivery could send it again for ever. */
const oldest = 300

const isSame = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** What the libraries of Standard Webhooks make of a secret. */
const standardKey = (secret: string): Buffer => {
  const text = secret.replace(/^whsec_/, "")
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
  return Buffer.from(text, isBase64 ? "base64" : "utf8")
}

/** Whether a delivery is by who has the secret, and recent. */
export const verify = ({ headers, body }: Incoming, secret: string, nowMillis: number): Verdict => {
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
    return { ok: false, reason: isUnsigned ? "it is not signed" : "it is not signed with this secret" }
  }
  const age = Math.round(nowMillis / 1000) - Number(given[first].time)
  if (age > oldest) return { ok: false, reason: `it was signed ${age} s ago, more than ${oldest}` }
  // Also where the time is no number.
  return age >= -oldest ? { ok: true, by } : { ok: false, reason: "it was signed in the future: compare the clocks" }
}

import { Duration, Option } from "effect"

/** Parses what the setting accepts; none if everything is kept. */
export const parseRetention = (text: string): Option.Option<Duration.Duration> =>
  text === "all" ? Option.none() : Option.some(Duration.days(Number.parseInt(text, 10)))

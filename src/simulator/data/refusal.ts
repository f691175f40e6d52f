/** A request that cannot be answered; each generation of the service words it in its own way. */
export class Refusal extends Error {
  readonly status: 400 | 404 | 405
  /** What was asked for wrongly. */
  readonly parameter: string | undefined

  constructor(status: 400 | 404 | 405, message: string, parameter?: string) {
    super(message)
    this.status = status
    this.parameter = parameter
  }
}

export const invalid = (message: string, parameter?: string) => new Refusal(400, message, parameter)

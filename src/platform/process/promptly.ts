import { Effect, Scheduler } from "effect"

/**
 * Goes on as soon as what it waits for is there, instead of after all else that is due in this process. For little work
 * that others wait for: whatever it does, sockets are not read meanwhile.
 */
export const promptly = Effect.provideService(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))

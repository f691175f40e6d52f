/** Deliveries that a worker makes at a time: as many may be repeated when it dies before it has recorded them. */
export const ofWorker = 64
export const ofAllWorkers = 2 * ofWorker

/** A busy machine may be given more time than the documents promise: the figures say how long it took. */
export const patience = Number(process.env.FAULTS_PATIENCE ?? 1)

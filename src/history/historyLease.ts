/** The lease for writing history behind the head. */
export const historyLease = "history-reader"

import { BookMaintenance } from "#src/books/contracts.ts"
import * as Duty from "#src/mesh/Duty.ts"

export const bookMaintenance = Duty.make({
  name: "book-maintenance",
  job: BookMaintenance,
  payload: {},
  every: "1 hour",
})

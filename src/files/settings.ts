import * as Setting from "#src/platform/config/Setting.ts"

/** Named as the tools of AWS name their environment variables, so that what is set for them is used. */
export const s3Endpoint = Setting.optionalUrl("aws.endpoint-url-s3", {
  doc: "Address of the S3-compatible store that `import --from s3://…` reads; that of AWS by default",
})
export const s3Region = Setting.text("aws.region", {
  default: "us-east-1",
  doc: "Region of the buckets that `import --from s3://…` reads",
})
export const s3KeyId = Setting.secretText("aws.access-key-id", {
  doc: "Access key for S3; without it, buckets are read without credentials",
})
export const s3Secret = Setting.secretText("aws.secret-access-key", { doc: "Secret of that access key" })
export const s3Token = Setting.secretText("aws.session-token", { doc: "Session token of temporary credentials for S3" })

export const filesSettings = [s3Endpoint, s3Region, s3KeyId, s3Secret, s3Token] as const

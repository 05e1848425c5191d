import type { ApiRequest } from "#test/support/api-client.ts";

/** A form that uploads a small file. */
export function formWithFile(name = "note.txt", content = "a note"): ApiRequest {
  const boundary = "----a-boundary";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/plain`;
  return {
    body: `${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`,
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
  };
}

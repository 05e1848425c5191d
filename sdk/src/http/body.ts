/** A body that is sent as it is. Everything else is sent as JSON. */
export type RawBody =
  | string
  | Blob
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | ReadableStream<Uint8Array>
  | FormData
  | URLSearchParams;

export interface EncodedBody {
  body?: RawBody;
  headers: Record<string, string>;
  /** A stream can be read once: such a request is not repeated. */
  isOnce: boolean;
}

/** Encodes a request's body. A text is JSON as well, unless `type` names its content type. */
export function encodeBody(body: unknown, type: string | undefined): EncodedBody {
  if (body === undefined) return { headers: {}, isOnce: false };
  const isStream = body instanceof ReadableStream;
  if (isStream || isRaw(body) || (typeof body === "string" && type !== undefined)) {
    const own = isStream || body instanceof Uint8Array || body instanceof ArrayBuffer;
    const headers = type ?? (own ? "application/octet-stream" : undefined);
    return { body, headers: headers === undefined ? {} : { "content-type": headers }, isOnce: isStream };
  }
  return {
    body: JSON.stringify(body),
    headers: { "content-type": type ?? "application/json" },
    isOnce: false,
  };
}

/** Forms and blobs bring their own content type. */
function isRaw(
  body: unknown,
): body is Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | FormData | URLSearchParams {
  return [Blob, ArrayBuffer, Uint8Array, FormData, URLSearchParams].some((type) => body instanceof type);
}

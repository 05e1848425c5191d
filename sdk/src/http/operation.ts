/** The parts of a request, as the generated type of an operation has them. */
interface Operation {
  body?: unknown;
  path?: unknown;
  query?: unknown;
}

/** The types of a route, from the generated types of its operation and its answers. */
export interface Route<D extends Operation, R> {
  body: D["body"];
  path: D["path"];
  query: D["query"];
  answer: Answered<R[keyof R]>;
}

/** Bytes come as such. */
type Answered<R> = R extends Blob | File ? Uint8Array<ArrayBuffer> : R;

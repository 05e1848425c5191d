import { Receiver } from "@upstash/qstash";

/** Allowed difference between the queue's clock and ours. */
const CLOCK_TOLERANCE_SECONDS = 5;

export interface SignedRequest {
  /** The raw body, as received. */
  body: string;
  /** The `Upstash-Signature` header. */
  signature: string;
  /** The address to which the message was published: the public one, even if the request arrived under another. */
  url: string;
}

/** Verifies that a delivery comes from the queue: signed with one of its keys, for this address, over this body. */
export function createVerifier(keys: {
  currentSigningKey: string;
  nextSigningKey: string;
}): (request: SignedRequest) => Promise<boolean> {
  const receiver = new Receiver({ ...keys, devMode: false });
  return async ({ body, signature, url }) => {
    try {
      return await receiver.verify({ body, signature, url, clockTolerance: CLOCK_TOLERANCE_SECONDS });
    } catch {
      return false;
    }
  };
}

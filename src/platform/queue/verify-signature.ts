import { Receiver } from "@upstash/qstash";

/** Clocks of the queue and of this machine may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 5;

export interface SignedRequest {
  /** The raw body, as it came. */
  body: string;
  /** The `Upstash-Signature` header. */
  signature: string;
  /** The address the message was published to: the public one, whatever the request says it came through. */
  url: string;
}

/** Whether a delivery comes from the queue: signed with one of its keys, for this address, over this body. */
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

import { z } from "zod";

/** RFC 9110, 5.6.2: the characters of a header's name. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/iu;
const HEADER_VALUE = /^[\x20-\x7e]{0,4096}$/u;
/** Connection headers cannot be set. */
const CONNECTION =
  /^(host|connection|content-length|transfer-encoding|upgrade|te|trailer|keep-alive|expect)$/iu;

/** Headers that the service sends for a person with its requests to an address of theirs. */
export const OutboundHeaders = z
  .record(z.string(), z.string())
  .refine((headers) => Object.keys(headers).length <= 20, "must be at most 20 headers")
  .refine(
    (headers) =>
      Object.entries(headers).every(
        ([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value) && !CONNECTION.test(name),
      ),
    "must be headers of printable ASCII, without connection headers",
  );

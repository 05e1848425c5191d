import { z } from "zod";

const MAX_LENGTH = 2_000;

/** A token or secret as it goes into a header: visible ASCII. */
export const secretText = z
  .string()
  .trim()
  .min(1, "Must not be empty")
  .max(MAX_LENGTH)
  .regex(/^[\u0021-\u007E]+$/u, "Must not contain white space or special characters");

/** An id as it goes into the path of an address. */
export const idText = z
  .string()
  .trim()
  .regex(/^[\w-]{1,100}$/u, "Must be an id: letters, digits, _ and -");

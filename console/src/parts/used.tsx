import { Moment } from "./moment.tsx";

/** When a thing was last used, in words that also say that it never was. */
export function Used({ at }: { at: string | null }) {
  if (at === null) return "never used";
  return (
    <span>
      last used <Moment at={at} />
    </span>
  );
}

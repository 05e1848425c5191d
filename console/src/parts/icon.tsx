import type { LucideIcon } from "lucide-preact";

export type { LucideIcon } from "lucide-preact";

/** An icon beside words, or in a button that has a label: screen readers pass it over. */
export function Icon({ of: Shape }: { of: LucideIcon }) {
  return <Shape class="icon" aria-hidden="true" />;
}

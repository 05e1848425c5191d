import { CEILINGS, type Ceiling, type OPEN_CEILINGS } from "#src/domain/operations/limits/index.ts";

export type CeilingName = keyof typeof CEILINGS;

type VariablesOf<V> = V extends string ? V : V[keyof V];

/** The variables of these ceilings. */
export type CeilingConfig<Name extends CeilingName> = Readonly<
  Record<VariablesOf<(typeof CEILINGS)[Name]["variable"]> & string, number>
>;

/** The variables of all ceilings. */
export type AllCeilings = CeilingConfig<CeilingName> &
  Readonly<Record<(typeof OPEN_CEILINGS)[keyof typeof OPEN_CEILINGS]["variable"], number>>;

/** Whether as many are open as may be; 0 is no limit. */
export const isFull = (open: number, max: number) => max > 0 && open >= max;

/** A ceiling, whichever it is. */
export const ceilingOf = (name: CeilingName): Ceiling => CEILINGS[name];

export const isCeiling = (name: string): name is CeilingName => name in CEILINGS;

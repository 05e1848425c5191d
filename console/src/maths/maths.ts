import temml from "temml";

/** Writes a formula into an element. Throws for what is no TeX. Nothing in it leads away or loads anything. */
export function writeMaths(element: HTMLElement, tex: string, isBlock: boolean): void {
  temml.render(tex, element, { displayMode: isBlock, throwOnError: true, trust: false, maxExpand: 200 });
}

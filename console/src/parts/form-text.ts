/** The text of a form's field, without spaces around it; empty where there is none. */
export function textOf(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** The fields of a form that have a text, for a query or a change that leaves the others out. */
export function given<Name extends string>(
  form: FormData,
  names: readonly Name[],
): { [name in Name]?: string } {
  const texts: { [name in Name]?: string } = {};
  for (const name of names) {
    const text = textOf(form, name);
    if (text !== "") texts[name] = text;
  }
  return texts;
}

/** Operations as `GET /api/projects`, of paths that are written one after the other. */
export function operationsIn(paths: Readonly<Record<string, string>>): string[] {
  return Object.entries(paths).flatMap(([method, text]) =>
    text
      .trim()
      .split(/\s+/u)
      .map((path) => `${method} ${path}`),
  );
}

/** Naming of columns in the database; their fields in code are camelCase. */
export const CASING = "snake_case";

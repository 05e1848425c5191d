/** How columns are named in the database; their fields are in camelCase. */
export const CASING = "snake_case";

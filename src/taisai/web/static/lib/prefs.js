// Preferences of this browser: language, theme, sound, favourites. Stored in localStorage; where that is forbidden,
// they last as long as the page.
// Enters: a name and a value that JSON can hold. Leaves: the value, or the default.

/**
 * A preference, or `otherwise` when there is none.
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @returns {T}
 */
export function pref(name, otherwise) {
  try {
    const text = localStorage.getItem("taisai." + name);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

/**
 * Keep a preference; null forgets it.
 * @param {string} name
 * @param {unknown} value
 */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem("taisai." + name);
    else localStorage.setItem("taisai." + name, JSON.stringify(value));
  } catch {
    // Private windows may forbid it.
  }
}

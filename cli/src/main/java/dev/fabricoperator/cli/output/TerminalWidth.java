/*
 * Copyright The fabric-operator authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package dev.fabricoperator.cli.output;

import java.lang.Character.UnicodeScript;

/**
 * Columns that characters take on a terminal: two for those that East Asian scripts write in a square, none for marks that stand above or
 * below the character before.
 *
 * @see "Unicode Standard Annex 11, East Asian Width: W and F"
 */
final class TerminalWidth {
    private TerminalWidth() {}

    static int of(String text) {
        return text.codePoints().map(TerminalWidth::of).sum();
    }

    /** Where the first characters end that take at most so many columns, behind one at least. */
    static int end(String text, int columns) {
        int end = 0;
        int taken = 0;
        while (end < text.length()) {
            int c = text.codePointAt(end);
            taken += of(c);
            if (taken > columns && end > 0) {
                break;
            }
            end += Character.charCount(c);
        }
        return end;
    }

    private static int of(int c) {
        if (c < 0x300) {
            return 1;
        }
        int type = Character.getType(c);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || c >= 0x1160 && c <= 0x11FF) {
            return 0;
        }
        boolean halfwidth = c >= 0xFF61 && c <= 0xFFDC || c >= 0xFFE8 && c <= 0xFFEE;
        return isWide(c) && !halfwidth ? 2 : 1;
    }

    private static boolean isWide(int c) {
        boolean fullwidth = c >= 0xFF01 && c <= 0xFF60 || c >= 0xFFE0 && c <= 0xFFE6;
        boolean punctuation = c >= 0x3000 && c <= 0x303E;
        return fullwidth
                || punctuation
                || Character.isIdeographic(c)
                || Character.isEmojiPresentation(c)
                || switch (UnicodeScript.of(c)) {
                    case HANGUL, HIRAGANA, KATAKANA, BOPOMOFO, YI -> true;
                    default -> false;
                };
    }
}

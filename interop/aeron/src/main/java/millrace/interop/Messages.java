package millrace.interop;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteOrder;

/** Message n: its number as a little-endian int64, then byte i = (n + i) mod 256. Lengths go round in a list. */
final class Messages
{
    private Messages()
    {
    }

    static int[] lengths(final String list)
    {
        return java.util.Arrays.stream(list.split(",")).mapToInt(Integer::parseInt).toArray();
    }

    static int write(final MutableDirectBuffer buffer, final int offset, final long number, final int[] lengths)
    {
        final int length = lengths[(int)(number % lengths.length)];
        buffer.putLong(offset, number, ByteOrder.LITTLE_ENDIAN);
        for (int i = 8; i < length; i++)
        {
            buffer.putByte(offset + i, (byte)(number + i));
        }
        return length;
    }

    /** Null when it is message `number`, else what is wrong with it. */
    static String check(
        final DirectBuffer buffer, final int offset, final int length, final long number, final int[] lengths)
    {
        final int expectedLength = lengths[(int)(number % lengths.length)];
        if (length != expectedLength)
        {
            return "message " + number + " has " + length + " bytes, not " + expectedLength;
        }
        final long found = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        if (found != number)
        {
            return "message " + found + " came where " + number + " was due";
        }
        for (int i = 8; i < length; i++)
        {
            if (buffer.getByte(offset + i) != (byte)(number + i))
            {
                return "byte " + i + " of message " + number + " is wrong";
            }
        }
        return null;
    }
}
